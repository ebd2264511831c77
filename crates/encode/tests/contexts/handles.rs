//! What the literals of a schedule mean.
