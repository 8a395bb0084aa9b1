/** Driver messages name hosts; one that quotes the address would name a password as well. */
export const redacted = (message: string): string => message.replace(/\/\/[^@\s]*@/g, '//***@');

/**
 * What the driver finds wrong with an address. Without the `@` behind it, a password is read as a host's port, and quoted with
 * it: `Unable to parse user:password with URL`.
 */
export function addressProblem(error: unknown): string {
  const { message } = error as Error;
  return message.startsWith('Unable to parse') ? 'it names a host that is none' : redacted(message);
}
