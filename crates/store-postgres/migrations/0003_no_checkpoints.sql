-- Nothing reads or writes checkpoints any more.
DROP TABLE checkpoints;
