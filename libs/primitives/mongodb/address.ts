/** Driver messages name hosts; one that quotes the address would name a password as well. */
export const redacted = (message: string): string => message.replace(/\/\/[^@\s]*@/g, '//***@');

/**
 * The driver's complaint about an address. If the `@` after a password is missing, the driver takes the password for a
 * host's port and would quote it: `Unable to parse user:password with URL`.
 */
export function addressProblem(error: unknown): string {
  const { message } = error as Error;
  return message.startsWith('Unable to parse') ? 'it names a host that is none' : redacted(message);
}
