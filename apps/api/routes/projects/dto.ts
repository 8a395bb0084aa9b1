import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length, MaxLength } from 'class-validator';
import { bodyField, NotBlank, Printable, QueryInteger } from '../../edge/validation/index.js';

export class CreateProjectBody {
  @bodyField(
    { minLength: 1, maxLength: 100, pattern: '\\S', example: 'support', description: 'Need not be unique.' },
    ...[Printable(), NotBlank(), Length(1, 100), IsString()],
  )
  name!: string;

  @bodyField(
    { optional: true, maxLength: 2000, type: String, example: 'Mails of customers' },
    ...[MaxLength(2000), IsString()],
  )
  description?: string | null;
}

export class ProjectRecord {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty() name!: string;
  @ApiProperty({ nullable: true, type: String }) description!: string | null;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
}

export class ListProjectsQuery {
  @QueryInteger({ min: 1, max: 10_000, default: 10_000 }) limit = 10_000;
  @QueryInteger({ min: 0, default: 0 }) offset = 0;
}

export class ProjectList {
  @ApiProperty() success!: boolean;
  @ApiProperty({ type: 'integer', description: 'On this page.' }) count!: number;
  @ApiProperty({ type: 'integer', description: 'Of all pages.' }) total!: number;
  @ApiProperty({ type: [ProjectRecord] }) projects!: ProjectRecord[];
}

export class Deleted {
  @ApiProperty() success!: boolean;
  @ApiProperty({ nullable: true, type: String }) message!: string | null;
}
