import { createHash } from 'node:crypto';

/** Names of subjects and streams, all under one prefix. */
export class Subjects {
  readonly stream: string;

  constructor(private readonly prefix: string) {
    this.stream = `${prefix}-offers`;
  }

  get offers(): string {
    return `${this.prefix}.offer.>`;
  }

  offer(subject: string): string {
    return `${this.prefix}.offer.${checked(subject)}`;
  }

  signal(subject: string): string {
    return `${this.prefix}.signal.${checked(subject)}`;
  }

  call(subject: string): string {
    return `${this.prefix}.call.${checked(subject)}`;
  }

  /** Durable names have no dots; the hash keeps `a.b` apart from `a-b`. */
  consumer(subject: string): string {
    checked(subject);
    const hash = createHash('sha256').update(subject).digest('hex').slice(0, 8);
    return `${subject.replaceAll('.', '-')}-${hash}`;
  }
}

function checked(subject: string): string {
  if (!/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(subject))
    throw new TypeError(`${subject} is no subject: words of A-Z a-z 0-9 _ - with dots between them`);
  return subject;
}
