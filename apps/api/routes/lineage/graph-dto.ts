import { ApiProperty } from '@nestjs/swagger';
import { NODE_KINDS, RELATIONS } from '#use-cases/lineage/lineage.js';
import { EventCitation } from '../events/citation-dto.js';
import { EVENT, NULL_TEXT } from './parts-dto.js';

class LineageNode {
  @ApiProperty({ example: 'job:12f5ddc1-0cd6-5883-9630-8d0a4ebd1145', description: 'Kind and id.' }) id!: string;
  @ApiProperty({ enum: NODE_KINDS }) kind!: string;
  @ApiProperty({ description: 'For people: a name, a status, a verdict, a count.' }) label!: string;
  @ApiProperty({ ...EVENT, description: 'The event that created it; null if the answer has none.' })
  event!: EventCitation | null;
  @ApiProperty({ ...NULL_TEXT, description: 'The route with more details.' }) link!: string | null;
}

class LineageEdge {
  @ApiProperty({ description: 'Id of the earlier node.' }) from!: string;
  @ApiProperty({ description: 'Id of the node that resulted from it.' }) to!: string;
  @ApiProperty({ enum: RELATIONS, description: 'Relation of `from` to `to`.' }) relation!: string;
  @ApiProperty(EVENT) event!: EventCitation | null;
}

/** All edges go from cause to result, and there is no way in a circle. */
export class LineageGraph {
  @ApiProperty({ description: 'Id of the requested node.' }) root!: string;
  @ApiProperty({ type: [LineageNode] }) nodes!: readonly LineageNode[];
  @ApiProperty({ type: [LineageEdge], description: 'Both ends are nodes.' }) edges!: readonly LineageEdge[];
  @ApiProperty({ description: 'Whether nodes are missing because of a limit or paging.' })
  truncated!: boolean;
}

export const GRAPH = { type: LineageGraph, description: 'The same facts as nodes and edges.' } as const;
