"""Pictures of symbols: layouts, typefaces, corruption, picture files, and finding cells in pictures."""
