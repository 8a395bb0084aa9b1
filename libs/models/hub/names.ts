/** Valid names of repositories. They become parts of addresses, so they contain no `..`, `?`, `#` or `%`. */
export const REPO_ID = /^(?!.*\.\.)(?!.*--)[A-Za-z0-9](?:[\w.-]{0,94}[\w])?(?:\/[A-Za-z0-9](?:[\w.-]{0,94}[\w])?)?$/;
/** A repository name with its owner, as needed for a push. */
export const OWNED_REPO_ID = /^(?!.*\.\.)(?!.*--)[A-Za-z0-9](?:[\w.-]{0,94}[\w])?\/[A-Za-z0-9](?:[\w.-]{0,94}[\w])?$/;
/** A branch, a tag, a commit, or `refs/convert/parquet` and its like. */
export const REVISION = /^(?!.*\.\.)(?!.*\/\/)[A-Za-z0-9](?:[\w./-]{0,198}[\w])?$/;
/** A valid name of a configuration or split. */
export const PART_NAME = /^[^\u0000-\u001f/\\]{1,200}$/;
export const TOKEN = /^hf_[A-Za-z0-9_-]{1,500}$/;

export const COMMIT = /^[0-9a-f]{40}$/;

/** Whether a path in a repository may be requested. */
export const isPlainPath = (path: string): boolean =>
  path.length <= 500 &&
  !/[\u0000-\u001f\\]/.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/** Encodes each part of a path, which the hub's own library does not. */
export const encodedPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
