[(computation) (table) (braces)] @fold
