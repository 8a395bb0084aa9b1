import { NotFoundError } from '#domain/errors.js';

/** Ids of a kind as the OpenAI API writes them: a prefix before the id that everything else here knows. */
interface PrefixedId {
  readonly prefix: string;
  write(id: string): string;
  /** @throws NotFoundError for another prefix, or an invalid id */
  read(written: string): string;
}

const prefixed = (what: string, prefix: string): PrefixedId => ({
  prefix,
  write: (id) => prefix + id,
  read(written) {
    const id = written.slice(prefix.length);
    if (written.startsWith(prefix) && UUID.test(id)) return id;
    throw new NotFoundError(what, written);
  },
});

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A file is a dataset version. */
export const FILE_ID = prefixed('file', 'file-');
/** A fine-tuning job is a training job. */
export const FINE_TUNING_JOB_ID = prefixed('fine-tuning job', 'ftjob-');
export const BATCH_ID = prefixed('batch', 'batch_');
export const CHECKPOINT_ID = prefixed('checkpoint', 'ftckpt_');
