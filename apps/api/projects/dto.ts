import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length, MaxLength } from 'class-validator';

export class CreateProjectBody {
  @ApiProperty({ minLength: 1, maxLength: 100 })
  @IsString()
  @Length(1, 100)
  name!: string;

  @ApiPropertyOptional({ maxLength: 2000, nullable: true, type: String })
  @IsOptional()
  @IsString()
  @MaxLength(2000)
  description?: string | null;
}

export class ProjectRecord {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ nullable: true, type: String })
  description!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

export class ProjectList {
  @ApiProperty()
  success!: boolean;

  @ApiProperty()
  count!: number;

  @ApiProperty({ type: [ProjectRecord] })
  projects!: ProjectRecord[];
}

export class Deleted {
  @ApiProperty()
  success!: boolean;

  @ApiProperty({ nullable: true, type: String })
  message!: string | null;
}
