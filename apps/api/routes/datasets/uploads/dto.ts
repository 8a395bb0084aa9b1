import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { SOURCE_FORMATS } from '#domain/dataset/index.js';
import { LeftOutRecord, RowErrorsRecord } from '../versions/dto.js';

class FileColumn {
  @ApiProperty() name!: string;
  @ApiProperty({ type: 'array', items: {}, description: 'The first three.' }) values!: readonly unknown[];
}

class LeftOutRow {
  @ApiProperty({ description: 'From 1.' }) row!: number;
  @ApiProperty() reason!: string;
  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description: 'As the file has it; null if it is too long.',
  })
  data!: unknown;
}

class SuggestedReading {
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } }) column_mapping!: object;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'With a name to be replaced for each number.',
  })
  label_names!: object;
}

export class UploadPreview {
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'As they would be stored.',
  })
  rows!: readonly object[];
  @ApiProperty({ type: [FileColumn], description: 'Of the file, under its own names.' }) columns!: FileColumn[];
  @ApiProperty({ description: 'Rows of the file that were read.' }) rows_read!: number;
  @ApiProperty({ description: 'Whether these are all rows of the file.' }) whole!: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'Why a version of these rows would fail.' })
  processing_error!: string | null;
  @ApiPropertyOptional({ type: RowErrorsRecord }) row_errors?: RowErrorsRecord;
  @ApiPropertyOptional({ type: LeftOutRecord, description: 'Absent if no row would be left out.' })
  left_out?: LeftOutRecord;
  @ApiProperty({ type: [LeftOutRow], description: 'The first of the rows that would be left out.' })
  left_out_rows!: LeftOutRow[];
  @ApiProperty({ type: [String] }) heads!: string[];
  @ApiProperty({ type: [String] }) labels!: string[];
  @ApiProperty({ type: String, nullable: true, enum: SOURCE_FORMATS }) format!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'As `read_as` of a version.' }) read_as!: string | null;
  @ApiProperty({ type: SuggestedReading, nullable: true, description: 'Reads the rows, where no layout fits them.' })
  suggested!: SuggestedReading | null;
}
