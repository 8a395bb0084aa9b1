import { createHash } from 'node:crypto';

export interface StoredFile {
  readonly content: Buffer;
  /** Kept in large-file storage: a download is redirected there. */
  readonly isLarge: boolean;
}

export interface Commit {
  readonly oid: string;
  readonly title: string;
  readonly files: ReadonlyMap<string, StoredFile>;
}

/** A repository as the hub keeps it. */
export class Repository {
  readonly commits: Commit[] = [];
  /** Whether the repository is of a model; else of a dataset. */
  isModel = false;
  isPrivate = false;
  isGated = false;
  /** The card's metadata as the server returns it: `{configs: [...]}`. */
  card: unknown = null;

  constructor(readonly name: string) {
    this.commit('initial commit', new Map());
  }

  get head(): Commit {
    return this.commits.at(-1)!;
  }

  /** Files over those of the last commit. @returns its id */
  commit(title: string, changed: ReadonlyMap<string, StoredFile>): string {
    const files = new Map([...(this.commits.at(-1)?.files ?? []), ...changed]);
    const hash = createHash('sha1').update(`${this.name}/${this.commits.length}/${title}`);
    for (const [path, { content }] of files) hash.update(path).update(content);
    const oid = hash.digest('hex');
    this.commits.push({ oid, title, files });
    return oid;
  }

  /** `main`, `HEAD` or a commit's id; null: there is none. */
  at(revision: string): Commit | null {
    if (revision === 'main' || revision === 'HEAD') return this.head;
    return this.commits.find(({ oid }) => oid === revision) ?? null;
  }
}

export interface Account {
  readonly name: string;
  readonly mayWrite: boolean;
}

/** Everything that the hub stores. */
export class Repositories {
  readonly repositories = new Map<string, Repository>();
  readonly accounts = new Map<string, Account>();
  /** Large files that have been uploaded, by the sha256 of their content. */
  readonly large = new Map<string, Buffer>();

  /** Adds a repository with these files. @param large names of files in large-file storage */
  add(name: string, files: Readonly<Record<string, string | Buffer>>, large: readonly string[] = []): Repository {
    const repository = this.repositories.get(name) ?? new Repository(name);
    this.repositories.set(name, repository);
    const stored = Object.entries(files).map(([path, content]): [string, StoredFile] => [
      path,
      { content: Buffer.from(content), isLarge: large.includes(path) },
    ]);
    repository.commit('files', new Map(stored));
    return repository;
  }

  mayRead(repository: Repository, account: Account | null): boolean {
    return !repository.isPrivate || (account !== null && repository.name.startsWith(`${account.name}/`));
  }
}
