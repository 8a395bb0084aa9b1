/** Reads of a workspace's contents, gathered for a second by the process that answered. */
export interface ContentsRead {
  readonly type: 'contents-read.v1';
  readonly data: {
    readonly workspaceId: string;
    /** When the first of these reads was answered. */
    readonly from: string;
    /** When the last of them was answered. */
    readonly until: string;
    /** Each reader, resource and route once. */
    readonly reads: readonly ContentRead[];
  };
}

// A type, not an interface: read models store it as JSON.
export type ContentRead = {
  /** `key:<id>`, `user:<id>` or `system:operator`. */
  readonly actor: string;
  /** The contents read: `call/<id>`, `calls`, `dataset/<name>/<version>`, `events/<stream>`, `file/<id>`. */
  readonly resource: string;
  /** The route of the read: `GET /inferences/:id`. */
  readonly route: string;
  /** Requests that were answered. */
  readonly count: number;
};
