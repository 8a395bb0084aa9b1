/** A safetensors file with one tensor of these bytes. @param more changes its description */
export function tinySafetensors(content: string | Buffer = 'weights', more: object = {}): Buffer {
  const numbers = Buffer.from(content);
  return withHeader(
    { w: { dtype: 'U8', shape: [numbers.length], data_offsets: [0, numbers.length], ...more } },
    numbers,
  );
}

/** A safetensors file with this header, which may lie. @param header JSON, or its text */
export function withHeader(header: object | string, numbers: Buffer): Buffer {
  const json = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, numbers]);
}
