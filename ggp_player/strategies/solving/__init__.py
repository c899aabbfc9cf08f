"""What enumeration and proof search with: states in lanes, stores, tables, and kernels."""
