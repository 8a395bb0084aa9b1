export type Problem =
  /** The event at this position is not the one that the tree has. */
  | 'changed'
  /** The tree has an event that the log lacks, and no event of the log records its deletion. */
  | 'removed'
  /** The log has an event before the tree's end that the tree lacks. */
  | 'added'
  /** A stream's revisions have a gap. */
  | 'gap'
  /** The tree itself is damaged, or is not the one of the checkpoint. */
  | 'tree'
  /** The tree is absent, or smaller than one that was signed or that a witness has seen. */
  | 'lost'
  /** An object that an event names is not the one that was stored. */
  | 'object'
  /** A call and its content do not belong together. */
  | 'call'
  /** An event that is newer than the checkpoint was not written, or not so, by this installation. */
  | 'unsealed';

export type Finding = {
  readonly problem: Problem;
  /** Position of the event; null if the finding concerns no event. */
  readonly position: string | null;
  readonly what: string;
};
