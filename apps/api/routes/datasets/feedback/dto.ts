import type { FeedbackOrder } from '#use-cases/datasets/feedback/order.js';
import { DECIDED_VERDICTS, type DecidedVerdict } from '#domain/feedback/index.js';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import { BodyNumber, BodyOneOf, BodyText, BodyTexts, BodyTime } from '../../../edge/validation/index.js';
import { VersionReference } from '../../training-jobs/requests/version-reference.js';
import { DatasetName } from '../versions/body-fields.js';
import { DatasetVersionRecord } from '../versions/dto.js';
import { CONFLICT_RULES, type ConflictRule } from '#use-cases/datasets/feedback/rows.js';

const VERDICT_TIME = { optional: true, description: 'Inclusive bound on the time of the verdict.' } as const;

export class FromFeedbackBody implements FeedbackOrder {
  @DatasetName({ description: 'An existing dataset gets a new version.' }) dataset_name!: string;
  @BodyOneOf(['decoder'], {
    optional: true,
    description:
      'For pairs of answers of decoders: the corrected one (`chosen`) and that of the model (`rejected`). Default: rows for encoders.',
  })
  dataset_type?: 'decoder' | null;
  @BodyText({ optional: true, description: 'A model id, or a name, which covers all its versions. Default: any.' })
  model?: string | null;
  @BodyText({ optional: true }) project_id?: string | null;
  @BodyTime(VERDICT_TIME) since?: string | null;
  @BodyTime(VERDICT_TIME) until?: string | null;
  @BodyOneOf(DECIDED_VERDICTS, { optional: true, description: 'Default: both.' })
  verdict?: DecidedVerdict | null;
  @BodyText({ optional: true, description: 'Only rows with this label, class or relation.' }) label?: string | null;
  @BodyOneOf(CONFLICT_RULES, {
    ...{ optional: true, default: 'newest' },
    description: 'Which of several verdicts on one text counts.',
  })
  conflicts?: ConflictRule | null;
  @BodyNumber({
    ...{ optional: true, min: 0, max: 0.9, default: 0 },
    description: 'Share of the texts that go to the dataset `<dataset_name>-held-out` instead.',
  })
  held_out_share?: number | null;
  @BodyText({
    ...{ optional: true, max: 128 },
    description: 'Name of a dataset whose rows are kept, except rows whose text was judged. Default: none.',
  })
  merge_with?: string | null;
  @BodyTexts('subject', {
    ...{ optional: true, max: 1000 },
    description:
      'Data subjects (`user` of a call) whose calls give no rows, and whose rows `merge_with` does not keep.',
  })
  exclude_subjects?: string[] | null;
  @VersionReference() merge_with_version?: string | number | null;
}

class ConflictingText {
  @ApiProperty() text!: string;
  @ApiProperty({ type: [String] }) inference_ids!: string[];
}

class LeftOut {
  @ApiProperty({ type: 'integer', description: 'Verdicts that are unsure.' }) unsure!: number;
  @ApiProperty({ type: 'integer', description: 'Calls without stored content, and failed calls without a correction.' })
  without_content!: number;
  @ApiProperty({
    type: 'integer',
    description: 'Calls of embedders, and of decoders; with `dataset_type` decoder, of encoders.',
  })
  other_tasks!: number;
  @ApiProperty({ type: 'integer', description: 'Calls of the data subjects in `exclude_subjects`.' })
  excluded_subjects!: number;
  @ApiProperty({
    type: 'integer',
    description: 'With `dataset_type` decoder: verdicts that change no text of an answer to messages.',
  })
  without_pair!: number;
  @ApiProperty({ type: 'integer', description: 'Further verdicts on texts that already gave a row.' })
  duplicates!: number;
}

export class MergedWith {
  @ApiProperty({ format: 'uuid', description: 'Id of the version.' }) dataset_id!: string;
  @ApiProperty() dataset_name!: string;
  @ApiProperty({ example: '1' }) version_number!: string;
  @ApiProperty({ type: 'integer', description: 'Rows of that version.' }) rows!: number;
  @ApiProperty({ type: 'integer', description: 'Rows whose text has no feedback.' }) kept!: number;
  @ApiProperty({ type: 'integer', description: 'Rows that feedback contradicts and replaces.' })
  replaced!: number;
  @ApiProperty({ type: 'integer', description: 'Rows that are equal to the feedback on their text.' })
  duplicates!: number;
  @ApiProperty({ type: 'integer', description: 'Rows kept because they come from a later verdict.' }) newer!: number;
  @ApiProperty({ type: 'integer', description: 'Rows left out because their text is held out.' }) held_out!: number;
  @ApiProperty({ type: 'integer', description: 'Rows of calls of exclude_subjects, or of calls that were erased.' })
  excluded_subjects!: number;
  @ApiProperty({ type: [String], description: 'Texts of replaced rows, the first 100.' }) conflicting!: string[];
}

export class FromFeedback extends OmitType(DatasetVersionRecord, ['left_out', 'description']) {
  @ApiProperty({ type: 'integer', description: 'Rows made from feedback, in both datasets.' }) rows!: number;
  @ApiProperty({ type: LeftOut }) left_out!: LeftOut;
  @ApiProperty({ type: 'integer', description: 'Texts with differing verdicts.' }) conflict_count!: number;
  @ApiProperty({ type: [ConflictingText], description: 'The first 100.' }) conflicting!: ConflictingText[];
  @ApiProperty({ type: DatasetVersionRecord, nullable: true, description: 'null if no text is held out.' })
  held_out!: DatasetVersionRecord | null;
  @ApiProperty({ type: MergedWith, nullable: true, description: 'null without merge_with.' })
  merged_with!: MergedWith | null;
}
