/** Epochs, batch (rows) and share of warm-up steps that suit a number of training rows. */
export function defaultEntitySchedule(rows: number): {
  readonly epochs: number;
  readonly batchSize: number;
  readonly warmupRatio: number;
} {
  const epochs = rows <= 1000 ? 22 : rows <= 5000 ? 10 : 7;
  const batchSize = rows <= 200 ? 4 : rows <= 1000 ? 8 : 16;
  return { epochs, batchSize, warmupRatio: 0.02 };
}
