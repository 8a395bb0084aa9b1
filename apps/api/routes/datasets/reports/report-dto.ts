import { ApiProperty } from '@nestjs/swagger';
import { HEADS } from '#domain/dataset/index.js';
import {
  MAX_TEXTS_COMPARED,
  MAX_EXAMPLES,
  MAX_LISTED_LABELS,
  MAX_TOKENISED_CHARACTERS,
  MIN_ROWS_OF_LABEL,
} from '#rows/report/index.js';
import { QueryText } from '../../../edge/validation/index.js';

const FAULTS = ['not_found', 'blank', 'overlapping', 'within_token'];
const HEAD = `${HEADS.join(', ')}, or a classification task by its name.`;
const TRUNCATED = 'true if the list is cut; `total` counts all.';
const SHOWN = `The first ${MAX_EXAMPLES}.`;
const ROW = 'From 1; `preview?offset=<row - 1>&limit=1` shows it.';
const COMPARED = `Rows from the first on whose texts were compared, at most ${MAX_TEXTS_COMPARED.toLocaleString('en')}.`;

export class ReportQuery {
  @QueryText(
    'A held-out version, as `name/version`, or as `name` for its newest ready version. The report lists rows whose text occurs in both.',
  )
  held_out?: string;
}

class LabelCountRecord {
  @ApiProperty({ description: 'Of structures: `structure.field`; of relations: the type.' }) label!: string;
  @ApiProperty({ description: 'Rows that have it.' }) rows!: number;
  @ApiProperty({ description: 'Times that it stands in them.' }) count!: number;
}

class LabelCountList {
  @ApiProperty() total!: number;
  @ApiProperty({ description: TRUNCATED }) truncated!: boolean;
  @ApiProperty({ type: [LabelCountRecord], description: `The ${MAX_LISTED_LABELS} that most rows have.` })
  labels!: LabelCountRecord[];
}

class HeadReportRecord {
  @ApiProperty({ description: HEAD }) head!: string;
  @ApiProperty({ description: 'Rows that say something about this head.' }) rows!: number;
  @ApiProperty({ description: 'Of these, rows with an empty list: nothing of this kind is in their text.' })
  empty_rows!: number;
  @ApiProperty({ type: LabelCountList }) labels!: LabelCountList;
}

class RowList {
  @ApiProperty() total!: number;
  @ApiProperty({ description: TRUNCATED }) truncated!: boolean;
  @ApiProperty({ type: [Number], description: `${SHOWN} ${ROW}` }) rows!: number[];
}

export class RepeatedRow {
  @ApiProperty({ description: ROW }) row!: number;
  @ApiProperty({ description: 'The first row with the same text.' }) same_as!: number;
}

class RepeatedRows {
  @ApiProperty() total!: number;
  @ApiProperty({ description: TRUNCATED }) truncated!: boolean;
  @ApiProperty({ type: [RepeatedRow], description: SHOWN }) rows!: RepeatedRow[];
}

class ConflictingRow extends RepeatedRow {
  @ApiProperty({ description: `The head for which the two rows have different labels: ${HEAD}` }) head!: string;
}

class ConflictingRows {
  @ApiProperty() total!: number;
  @ApiProperty({ description: TRUNCATED }) truncated!: boolean;
  @ApiProperty({ type: [ConflictingRow], description: SHOWN }) rows!: ConflictingRow[];
}

class RareLabelRecord {
  @ApiProperty({ description: HEAD }) head!: string;
  @ApiProperty() label!: string;
  @ApiProperty() rows!: number;
}

class RareLabels {
  @ApiProperty({ description: 'A label with fewer rows is rare.', example: MIN_ROWS_OF_LABEL }) min_rows!: number;
  @ApiProperty() total!: number;
  @ApiProperty({ description: TRUNCATED }) truncated!: boolean;
  @ApiProperty({ type: [RareLabelRecord], description: `${SHOWN} The rarest come first.` }) labels!: RareLabelRecord[];
}

class SimilarLabelGroup {
  @ApiProperty({ description: HEAD }) head!: string;
  @ApiProperty({ type: [String], description: 'The most frequent first.' }) labels!: string[];
}

class SimilarLabelGroups {
  @ApiProperty() total!: number;
  @ApiProperty({ description: TRUNCATED }) truncated!: boolean;
  @ApiProperty({ type: [SimilarLabelGroup], description: SHOWN }) groups!: SimilarLabelGroup[];
}

export class LengthQuantiles {
  @ApiProperty({ description: 'Number of rows measured.' }) rows!: number;
  @ApiProperty() min!: number;
  @ApiProperty() p50!: number;
  @ApiProperty() p90!: number;
  @ApiProperty() p99!: number;
  @ApiProperty() max!: number;
}

class UnalignedSpanRecord {
  @ApiProperty({ description: ROW }) row!: number;
  @ApiProperty() label!: string;
  @ApiProperty({ description: 'Shortened.' }) text!: string;
  @ApiProperty({ enum: FAULTS }) fault!: string;
}

class UnalignedSpans {
  @ApiProperty() total!: number;
  @ApiProperty({ description: 'Spans that do not occur where their row places them.' }) not_found!: number;
  @ApiProperty({ description: 'Spans of blanks only; training ignores them.' }) blank!: number;
  @ApiProperty({ description: 'Spans inside a longer one; found only by schemas with `flat_ner: false`.' })
  overlapping!: number;
  @ApiProperty({
    description: 'Spans that begin or end inside a token. Models learn them, but answer whole tokens.',
  })
  within_token!: number;
  @ApiProperty({ description: TRUNCATED }) truncated!: boolean;
  @ApiProperty({ type: [UnalignedSpanRecord], description: SHOWN }) spans!: UnalignedSpanRecord[];
}

class RepeatedAnnotationRecord {
  @ApiProperty({ description: ROW }) row!: number;
  @ApiProperty({ enum: HEADS }) head!: string;
  @ApiProperty({ description: 'The label of the entity, or the name of the structure or relation.' }) label!: string;
}

class RepeatedAnnotations {
  @ApiProperty() total!: number;
  @ApiProperty({ description: TRUNCATED }) truncated!: boolean;
  @ApiProperty({ type: [RepeatedAnnotationRecord], description: SHOWN }) annotations!: RepeatedAnnotationRecord[];
}

class LeakedRow {
  @ApiProperty({ description: ROW }) row!: number;
  @ApiProperty({ description: 'The first row of the held-out version with that text.' }) held_out_row!: number;
  @ApiProperty({ description: 'true if the texts are identical, false if they match only after normalisation.' })
  exact!: boolean;
}

export class HeldOutReportRecord {
  @ApiProperty() dataset_name!: string;
  @ApiProperty({ example: '1' }) version_number!: string;
  @ApiProperty() rows!: number;
  @ApiProperty({ description: COMPARED }) compared_rows!: number;
  @ApiProperty({ description: 'Rows of the held-out version whose text occurs in this version.' })
  leaked_rows!: number;
  @ApiProperty({ description: 'Rows of this version whose text occurs in the held-out version.' }) total!: number;
  @ApiProperty({ description: 'Of these, rows with an identical text.' }) exact!: number;
  @ApiProperty({ description: TRUNCATED }) truncated!: boolean;
  @ApiProperty({ type: [LeakedRow], description: SHOWN }) leaks!: LeakedRow[];
}

export class VersionReportRecord {
  @ApiProperty() dataset_name!: string;
  @ApiProperty({ example: '1' }) version_number!: string;
  @ApiProperty({ ...{ type: String, nullable: true }, description: 'As in the record of the version.' })
  read_as!: string | null;
  @ApiProperty() rows!: number;
  @ApiProperty({ description: 'Free rows and rows of generated tables; their texts are not analysed.' })
  rows_without_text!: number;
  @ApiProperty({ description: COMPARED }) compared_rows!: number;
  @ApiProperty({ type: [HeadReportRecord] }) heads!: HeadReportRecord[];
  @ApiProperty({ type: RowList, description: 'Rows without a label for any head.' }) unlabelled!: RowList;
  @ApiProperty({ type: RepeatedRows, description: 'Rows with the same text as an earlier row.' })
  exact_duplicates!: RepeatedRows;
  @ApiProperty({
    type: RepeatedRows,
    description:
      'Rows with the same text as an earlier row, ignoring case, white space, Unicode form (NFKC) and punctuation at the ends.',
  })
  normalised_duplicates!: RepeatedRows;
  @ApiProperty({
    type: ConflictingRows,
    description: 'Rows that contradict the first row with the same normalised text.',
  })
  conflicts!: ConflictingRows;
  @ApiProperty({ type: RareLabels }) rare_labels!: RareLabels;
  @ApiProperty({
    type: SimilarLabelGroups,
    description: 'Labels that differ only in case, white space, Unicode form (NFKC) or punctuation at the ends.',
  })
  similar_labels!: SimilarLabelGroups;
  @ApiProperty({
    description: 'true if all rows with a class, or with one of some task, have the same one: training needs two.',
  })
  one_class!: boolean;
  @ApiProperty({ type: LengthQuantiles, nullable: true, description: 'Code points of a text.' })
  characters!: LengthQuantiles | null;
  @ApiProperty({
    type: LengthQuantiles,
    nullable: true,
    description: `Tokens of a text, as the built-in engine reads it: of the first ${MAX_TOKENISED_CHARACTERS.toLocaleString('en')} characters.`,
  })
  tokens!: LengthQuantiles | null;
  @ApiProperty({ type: UnalignedSpans }) unaligned_spans!: UnalignedSpans;
  @ApiProperty({
    type: RepeatedAnnotations,
    description:
      'Entities that a row lists twice with the same `start`, relations that it lists twice, and records that it lists more often than its text holds them: each counts once.',
  })
  repeated_annotations!: RepeatedAnnotations;
  @ApiProperty({ type: HeldOutReportRecord, nullable: true, description: 'Null without `held_out`.' })
  held_out!: HeldOutReportRecord | null;
}
