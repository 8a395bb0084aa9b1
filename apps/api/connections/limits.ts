/** How many connections clients may hold, how slow they may be, and how much of unfinished bodies is kept for them. */
export interface ConnectionLimits {
  /** Until a request's headers have come, from the connection's start or the request's first byte; milliseconds. */
  readonly headersMs: number;
  /** Until a JSON body has come, from its headers; milliseconds. */
  readonly bodyMs: number;
  /** How long the rest of a body is read and dropped after its request was answered, so that the client can read the answer; milliseconds. */
  readonly lingerMs: number;
  /** Any body must bring `minBytesPerSecond` on average over each span of this length; milliseconds. */
  readonly paceMs: number;
  readonly minBytesPerSecond: number;
  /** How often the times above are looked at; milliseconds. */
  readonly checkEveryMs: number;
  readonly maxConnections: number;
  /** Not where proxies are trusted: they bring many clients from one address. */
  readonly maxConnectionsByAddress: number;
  /** Bytes held of JSON bodies that have not ended. */
  readonly maxHeldBytes: number;
  readonly maxHeldBytesByAddress: number;
  /** How long kept connections may bring a last request once closing begins, to be told that they end; milliseconds. */
  readonly farewellMs: number;
}

/** @param bodyMaxBytes the largest JSON body: one address may have four under way at once, all together sixteen */
export const connectionLimits = (
  bodyMaxBytes: number,
  others: Partial<ConnectionLimits> | undefined,
): ConnectionLimits => ({
  headersMs: 15_000,
  bodyMs: 120_000,
  lingerMs: 10_000,
  paceMs: 15_000,
  minBytesPerSecond: 1024,
  checkEveryMs: 1_000,
  maxConnections: 10_000,
  maxConnectionsByAddress: 2_000,
  maxHeldBytes: 16 * Math.max(bodyMaxBytes, MIB),
  maxHeldBytesByAddress: 4 * Math.max(bodyMaxBytes, MIB),
  farewellMs: 1_000,
  ...others,
});

const MIB = 1024 ** 2;
