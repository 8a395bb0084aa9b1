import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn } from 'class-validator';
import { LAYOUT_NAMES } from '#rows/formats/index.js';
import { DATASET_KINDS, HEADS, SOURCE_FORMATS, type DatasetType, type OnError } from '#domain/dataset/index.js';
import {
  bodyField,
  BodyInteger,
  BodyOneOf,
  BodyText,
  Printable,
  QueryBoolean,
  QueryInteger,
  QueryOneOf,
  QueryText,
} from '../../../edge/validation/index.js';
import { DOWNLOAD_FORMATS, type DownloadFormat } from '#use-cases/datasets/queries/download.js';
import { ColumnMapping, DatasetName, LabelNamesField, OnErrorField } from './body-fields.js';

/** The types of uploads. Generated datasets may also be `records` or `fields`. */
export const UPLOADED_TYPES: readonly DatasetType[] = ['ner', 'classification', 'custom', 'decoder'];
const DATASET_TYPES: readonly DatasetType[] = [...UPLOADED_TYPES, 'records', 'fields'];
const FORMAT =
  'Of the file (default: by the name, then by the content; any may be gzipped), or of its rows, such as `label-studio` (default: by the first rows).';

/** The format of a file, or the layout of its rows: case does not count. */
export const FormatField = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    BodyOneOf(
      [...SOURCE_FORMATS, ...LAYOUT_NAMES],
      { optional: true, description: FORMAT },
      ' (any of them may be gzipped)',
    ),
  );

const SAID = { optional: true, max: 2000 } as const;

/** Purpose, source, license and consent of a version's rows, as people describe them, and how they are labelled. */
export class DatasetDescriptionBody {
  @BodyText({ ...SAID, description: 'What the rows are for.' }, Printable()) purpose?: string | null;
  @BodyText({ ...SAID, description: 'Where the rows come from.' }, Printable()) source?: string | null;
  @BodyText({ ...SAID, max: 200, description: 'An SPDX id, such as `CC-BY-4.0`, or another text.' }, Printable())
  license?: string | null;
  @BodyText({ ...SAID, description: 'On what grounds people’s data is in the rows.' }, Printable())
  consent?: string | null;
  @BodyText({ ...SAID, max: 10_000, description: 'How the rows are to be labelled, in lines.' })
  guidelines?: string | null;
}

export class UploadUrlBody extends DatasetDescriptionBody {
  @DatasetName({ description: 'An existing dataset gets a new version.' }) dataset_name!: string;
  @BodyOneOf(UPLOADED_TYPES, { optional: true, default: 'ner' }) dataset_type?: DatasetType | null;

  @bodyField(
    { optional: true, type: String, enum: ['training', null], default: 'training' },
    IsIn(['training'], { message: '$property must be training; benchmark datasets are not uploaded' }),
  )
  type?: 'training' | null;

  @BodyText({ optional: true, max: 255, description: 'The file extension can determine the format.' }, Printable())
  filename?: string | null;

  @BodyText({ optional: true, max: 255, description: 'Alias of `filename`.' }, Printable())
  file_name?: string | null;

  @FormatField() format?: string | null;

  @BodyText({ optional: true }) project_id?: string | null;
  @ColumnMapping() column_mapping?: Record<string, string> | null;
  @LabelNamesField() label_names?: Record<string, string[]> | null;
  @OnErrorField() on_error?: OnError | null;
}

/** How the file is read: what is absent is as the request for its address says. */
export class ReadingBody {
  @BodyOneOf(UPLOADED_TYPES, { optional: true }) dataset_type?: DatasetType | null;
  @FormatField() format?: string | null;
  @ColumnMapping() column_mapping?: Record<string, string> | null;
  @LabelNamesField() label_names?: Record<string, string[]> | null;
  @OnErrorField() on_error?: OnError | null;
}

export class ProcessBody extends ReadingBody {
  @BodyText({ max: 200, format: 'uuid', description: '`dataset_id` from upload/url.' }) dataset_id!: string;
}

export class ReadingPreviewBody extends ReadingBody {
  @BodyInteger({ optional: true, min: 1, max: 100, default: 10 }) limit?: number | null;
}

export class DatasetListQuery {
  @QueryBoolean('Includes datasets whose newest version failed.') include_failed?: boolean;
  @QueryOneOf(DATASET_TYPES) dataset_type?: DatasetType;
  @QueryText() project_id?: string;
  @QueryInteger({ min: 1, max: 1000, default: 200 }) limit: number = 200;
  @QueryInteger({ min: 0, default: 0 }) offset: number = 0;
}

export class PreviewQuery {
  @QueryInteger({ min: 1, max: 100, default: 10 }, 'Maximum number of rows; fewer are returned if they exceed 1 MiB.')
  limit: number = 10;

  @QueryInteger({ min: 0, default: 0 }, 'Of the rows that the other parameters take.') offset: number = 0;
  @QueryText('Only rows that contain this text anywhere, in any case') q?: string;
  @QueryText('Only rows that have this label for any head') label?: string;
  @QueryInteger({ min: 0 }, 'Of the text, in code points') min_characters?: number;
  @QueryInteger({ min: 0 }, 'Of the text, in code points') max_characters?: number;
  @QueryBoolean('Whether an earlier row has the same text, but for case, white space and punctuation')
  duplicate?: boolean;
}

export class DownloadQuery {
  @QueryOneOf(DOWNLOAD_FORMATS) format: DownloadFormat = 'jsonl';
}

export class UploadUrl {
  @ApiProperty({ description: 'PUT the file here, without an API key.' }) presigned_url!: string;
  @ApiProperty({ description: 'The same as `presigned_url`.' }) upload_url!: string;
  @ApiProperty({ format: 'uuid' }) dataset_id!: string;
  @ApiProperty() dataset_name!: string;
  @ApiProperty({ example: '1' }) version_number!: string;
  @ApiProperty({ description: 'Seconds.' }) expires_in!: number;
}

class RowErrorRecord {
  @ApiProperty({ description: 'From 1.' }) row!: number;
  @ApiProperty({ example: 'entities[2].start' }) field!: string;
  @ApiProperty() reason!: string;
}

class RowReasonRecord {
  @ApiProperty({ description: 'Of the first row; `…` is what differs between the rows.' }) reason!: string;
  @ApiProperty() rows!: number;
  @ApiProperty({ description: 'From 1.' }) first_row!: number;
}

export class RowErrorsRecord {
  @ApiProperty() total!: number;
  @ApiProperty({ type: [RowErrorRecord], description: 'The first 100, of each kind at most 20.' })
  rows!: RowErrorRecord[];
  @ApiPropertyOptional({ type: [RowReasonRecord], description: 'The first 20 kinds; absent from older versions.' })
  reasons?: RowReasonRecord[];
}

export class LeftOutRecord {
  @ApiProperty({ description: 'Rows of the file that the version lacks; see `left-out`.' }) rows!: number;
  @ApiProperty({ description: 'Those of them that only lack a label; they are no errors.' }) unlabelled!: number;
  @ApiProperty({ description: 'Rows of the file.' }) of!: number;
  @ApiProperty({ type: [RowReasonRecord], description: 'The first 20 kinds.' }) reasons!: RowReasonRecord[];
  @ApiProperty({ description: 'Rows that `left-out` lists: the first 10,000, in at most 16 MiB.' }) listed!: number;
}

export class ClassTaskRecord {
  @ApiProperty() name!: string;
  @ApiProperty({ type: [String] }) labels!: string[];
  @ApiProperty({ description: 'Rows have a list of its labels, instead of one.' }) multi_label!: boolean;
}

class DatasetDescription {
  @ApiProperty({ type: String, nullable: true }) purpose!: string | null;
  @ApiProperty({ type: String, nullable: true }) source!: string | null;
  @ApiProperty({ type: String, nullable: true }) license!: string | null;
  @ApiProperty({ type: String, nullable: true }) consent!: string | null;
  @ApiProperty({ description: 'How the rows are to be labelled. Absent: nothing is said.' }) guidelines?: string;
  @ApiProperty({ description: 'Who said so last: `key:<id>` or `user:<id>`.' }) by!: string;
  @ApiProperty({ format: 'date-time' }) at!: string;
}

export class DatasetVersionRecord {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid', description: 'Same as `id`: identifies this version.' }) dataset_id!: string;
  @ApiProperty() name!: string;
  @ApiProperty() dataset_name!: string;
  @ApiProperty({ enum: DATASET_TYPES, description: 'As requested; `heads` lists what the rows contain.' })
  dataset_type!: string;
  @ApiProperty({
    ...{ enum: HEADS, isArray: true },
    description:
      'What the rows are labelled for: one for each kind of key that some row has. Empty before it is ready, and for free rows.',
  })
  heads!: string[];
  @ApiProperty({ enum: DATASET_KINDS }) type!: string;
  @ApiProperty({ example: '1' }) version_number!: string;
  @ApiProperty({ enum: ['initialized', 'uploading', 'converting', 'validating', 'ready', 'failed'] }) status!: string;
  @ApiProperty({ type: String, nullable: true }) processing_error!: string | null;
  @ApiPropertyOptional({ type: RowErrorsRecord }) row_errors?: RowErrorsRecord;
  @ApiProperty({ description: 'Rows; 0 before it is ready.' }) sample_size!: number;
  @ApiProperty({ description: 'Bytes: of the upload, and once ready of the rows as JSONL.' }) size!: number;
  @ApiProperty({ type: [String] }) labels!: string[];
  @ApiPropertyOptional({ type: [ClassTaskRecord], description: 'The classification tasks, if the rows name several.' })
  class_tasks?: ClassTaskRecord[];
  @ApiProperty({ type: String, nullable: true, enum: SOURCE_FORMATS }) format!: string | null;
  @ApiProperty({
    ...{ type: String, nullable: true, example: 'Label Studio JSON, 412 tasks, 3 without annotations' },
    description:
      'How a file was read that is not as Anneal writes it, such as the rows of another tool, or CSV separated by semicolons. Null for all others, and before it is ready.',
  })
  read_as!: string | null;
  @ApiPropertyOptional({ type: LeftOutRecord, description: 'Absent if no row was left out.' })
  left_out?: LeftOutRecord;
  @ApiProperty({ example: 'upload' }) generation_type!: string;
  @ApiProperty({ type: String, nullable: true }) project_id!: string | null;
  @ApiPropertyOptional({ type: DatasetDescription, description: 'Absent if nothing was ever said of the version.' })
  description?: DatasetDescription;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;
}

class ListedDataset extends DatasetVersionRecord {
  @ApiProperty() version_count!: number;
}

export class DatasetList {
  @ApiProperty() success!: boolean;
  @ApiProperty({ description: 'In this answer.' }) count!: number;
  @ApiProperty({ description: 'In all.' }) total!: number;
  @ApiProperty({ type: [ListedDataset] }) datasets!: ListedDataset[];
}

export class VersionList {
  @ApiProperty() success!: boolean;
  @ApiProperty() count!: number;
  @ApiProperty({ type: [DatasetVersionRecord], description: 'Newest first.' }) versions!: DatasetVersionRecord[];
}

export class Preview {
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } }) rows!: readonly object[];
  @ApiProperty({ type: [Number], description: 'Of these rows in the version, from 1.' }) row_numbers!: number[];
  @ApiProperty({ description: 'Rows that the query takes.' }) found_rows!: number;
  @ApiProperty({ description: 'Rows of the version.' }) total_rows!: number;
}
