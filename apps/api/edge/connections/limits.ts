/** Limits on clients' connections: their number, their slowness, and the memory for unfinished bodies. */
export interface ConnectionLimits {
  /** Milliseconds for a request's headers, from the connection's start or the request's first byte. */
  readonly headersMs: number;
  /** Milliseconds for a JSON body, from its headers. */
  readonly bodyMs: number;
  /**
   * Milliseconds for which the rest of a body is read and dropped after its request was answered, so that the client
   * can read the answer.
   */
  readonly lingerMs: number;
  /** Milliseconds over which a body must average `minBytesPerSecond`. */
  readonly paceMs: number;
  readonly minBytesPerSecond: number;
  /** Interval of these checks, in milliseconds. */
  readonly checkEveryMs: number;
  readonly maxConnections: number;
  /** Not applied behind trusted proxies, which bring many clients from one address. */
  readonly maxConnectionsByAddress: number;
  /** Bytes held of JSON bodies that have not ended. */
  readonly maxHeldBytes: number;
  readonly maxHeldBytesByAddress: number;
  /** Milliseconds for which idle connections may bring a last request while the API closes. */
  readonly farewellMs: number;
}

/** @param bodyMaxBytes the largest JSON body: one address may have four in flight, all together sixteen */
export const connectionLimits = (bodyMaxBytes: number): ConnectionLimits => ({
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
});

const MIB = 1024 ** 2;
