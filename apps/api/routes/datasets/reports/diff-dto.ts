import { ApiProperty } from '@nestjs/swagger';
import { MAX_LISTED_CHANGES, type ChangeKind } from '#rows/report/index.js';
import { QueryInteger, QueryOneOf } from '../../../edge/validation/index.js';
import type { ComparedVersions } from '#use-cases/datasets/queries/diff.js';

const KINDS = ['added', 'removed', 'changed'] as const satisfies readonly ChangeKind[];
const ROW = { type: Number, nullable: true } as const;

export class DiffQuery {
  @QueryInteger({ min: 1 }, 'Number of the version to compare with; default: the previous number.')
  from?: number;

  @QueryOneOf(KINDS, 'Lists only changes of this kind.') kind?: ChangeKind;

  @QueryInteger({ min: 1, max: 100, default: 20 }) limit: number = 20;

  @QueryInteger({ min: 0, default: 0 }) offset: number = 0;
}

class RowChangeRecord {
  @ApiProperty({ enum: KINDS }) kind!: string;
  @ApiProperty({ ...ROW, description: 'In `from_version`, from 1; null for a row that was added.' })
  from_row!: number | null;
  @ApiProperty({ ...ROW, description: 'In `version_number`, from 1; null for a row that was removed.' })
  row!: number | null;
}

export class VersionDiffRecord {
  @ApiProperty() dataset_name!: string;
  @ApiProperty({ example: '2' }) version_number!: string;
  @ApiProperty({ example: '1' }) from_version!: string;
  @ApiProperty({ description: 'Rows whose text the other version lacks, or contains less often.' }) added!: number;
  @ApiProperty({ description: 'Rows of `from_version` whose text this version lacks, or contains less often.' })
  removed!: number;
  @ApiProperty({ description: 'Rows with the same text and different labels.' }) changed!: number;
  @ApiProperty({ description: 'Rows with the same text and labels.' }) unchanged!: number;
  @ApiProperty({ description: 'Number of leading rows of this version that were compared.' }) compared_rows!: number;
  @ApiProperty({ description: 'The same for `from_version`.' }) from_compared_rows!: number;
  @ApiProperty({ description: 'Number of changes of the requested kind.' }) total!: number;
  @ApiProperty({
    description: `Whether there are more: of each kind the first ${MAX_LISTED_CHANGES.toLocaleString('en')} are listed.`,
  })
  truncated!: boolean;
  @ApiProperty({ type: [RowChangeRecord], description: 'Changed rows first, then added and removed ones.' })
  changes!: RowChangeRecord[];
}

/** A page of a difference as clients see it. */
export function diffRecord(
  { from, to, diff }: ComparedVersions,
  { kind, limit, offset }: Omit<DiffQuery, 'from'>,
): VersionDiffRecord {
  const kinds = kind ? [kind] : (['changed', 'added', 'removed'] as const);
  const listed = kinds.flatMap((each) =>
    diff.changes[each].shown.map(({ fromRow, toRow }) => ({ kind: each, from_row: fromRow, row: toRow })),
  );
  return {
    dataset_name: to.name,
    version_number: String(to.versionNumber),
    from_version: String(from.versionNumber),
    added: diff.changes.added.total,
    removed: diff.changes.removed.total,
    changed: diff.changes.changed.total,
    unchanged: diff.unchanged,
    compared_rows: diff.to.comparedRows,
    from_compared_rows: diff.from.comparedRows,
    total: listed.length,
    truncated: kinds.some((each) => diff.changes[each].shown.length < diff.changes[each].total),
    changes: listed.slice(offset, offset + limit),
  };
}
