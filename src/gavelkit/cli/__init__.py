"""The command `gavel`: a command line becomes a call into the rooms below. One file a command."""
