/**
 * The address by which clients reach the API: the operator's, else the listening one, which is known only once it
 * listens.
 */
export class PublicAddress {
  private listening: string | null = null;

  constructor(private readonly given: string | null) {}

  /** Public address without a trailing slash. @throws Error before the API listens, if the operator set none */
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
