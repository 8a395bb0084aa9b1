/** The address by which clients reach the API: the operator's, else where it listens, which is known only once it does. */
export class PublicAddress {
  private listening: string | null = null;

  constructor(private readonly given: string | null) {}

  /** Without a slash at its end. @throws Error before the API listens, where the operator gave none */
  get url(): string {
    const url = this.given ?? this.listening;
    if (url === null) throw new Error('the public address is not known before the API listens');
    return url;
  }

  /** @param host as given to listen; an address that means "all" is reached by the loopback one */
  listensOn(host: string, port: number): void {
    const name = host === '0.0.0.0' || host === '::' || host === '' ? 'localhost' : host;
    this.listening = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  }
}
