/** An event as the log has it, with data and metadata as the JSON texts that were stored. */
export interface StoredEvent {
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly id: string;
  readonly data: string;
  readonly metadata: string;
}
