import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { UPLOADED_PURPOSES } from '#use-cases/files/commands.js';
import { QueryInteger, QueryOneOf, QueryText } from '../../edge/validation/index.js';

/** Purposes of files: an upload has one of the first, and batches make files of the last. */
const PURPOSES = [...UPLOADED_PURPOSES, 'batch_output'] as const;
type Purpose = (typeof PURPOSES)[number];

/** The parts of the form. Only the document reads it: the form itself is read as a stream. */
export class FileUploadForm {
  @ApiProperty({ type: 'string', format: 'binary' }) file!: string;
  @ApiProperty({ enum: UPLOADED_PURPOSES }) purpose!: string;
}

export class FileListQuery {
  @QueryText('Id of the last file of the previous page') after?: string;
  @QueryInteger({ min: 1, max: 1000, default: 1000 }) limit: number = 1000;
  @QueryOneOf(['asc', 'desc'], 'Order by creation time; default: desc') order?: 'asc' | 'desc';
  @QueryOneOf(PURPOSES) purpose?: Purpose;
}

export class FileObject {
  @ApiProperty({ description: '`file-` followed by the id of a dataset version' }) id!: string;
  @ApiProperty({ enum: ['file'] }) object!: 'file';
  @ApiProperty({ type: 'integer' }) bytes!: number;
  @ApiProperty({ type: 'integer', description: 'Seconds since 1970' }) created_at!: number;
  @ApiProperty() filename!: string;
  @ApiProperty({ enum: PURPOSES }) purpose!: Purpose;
  @ApiProperty({ enum: ['uploaded', 'processed', 'error'] }) status!: 'uploaded' | 'processed' | 'error';
  @ApiPropertyOptional({ description: 'Why the rows were refused, or how many of them were left out' })
  status_details?: string;
}

export class FileList {
  @ApiProperty({ enum: ['list'] }) object!: 'list';
  @ApiProperty({ type: [FileObject] }) data!: FileObject[];
  @ApiProperty({ type: String, nullable: true }) first_id!: string | null;
  @ApiProperty({ type: String, nullable: true }) last_id!: string | null;
  @ApiProperty() has_more!: boolean;
}

export class DeletedFile {
  @ApiProperty() id!: string;
  @ApiProperty({ enum: ['file'] }) object!: 'file';
  @ApiProperty() deleted!: boolean;
}
