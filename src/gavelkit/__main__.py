"""`python -m gavelkit` is the command `gavel`."""

from gavelkit.cli.main import main

raise SystemExit(main())
