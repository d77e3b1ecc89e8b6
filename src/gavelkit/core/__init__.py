"""The nouns of gavelkit: records, protocols and errors. Imports nothing but the standard library."""
