import { Controller, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import type { Incident } from '#domain/incident/index.js';
import { CloseIncident, OpenIncident, UpdateIncident } from '#use-cases/incidents/commands.js';
import { ListIncidents } from '#use-cases/incidents/queries.js';
import { UseCases } from '#use-cases/use-cases.js';
import { CurrentCaller, Gives, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import {
  CloseIncidentBody,
  IncidentList,
  IncidentRecord,
  IncidentsQuery,
  OpenIncidentBody,
  UpdateIncidentBody,
} from './dto.js';

@ApiTags('Event log')
@ReadingNeeds('history')
@Controller('incidents')
export class IncidentsController {
  constructor(private readonly useCases: UseCases) {}

  @Get()
  @ApiOperation({ summary: 'Lists the incidents of the workspace' })
  @ApiOkResponse({ type: IncidentList })
  async list(@CurrentCaller() caller: Caller, @KnownQuery() { status }: IncidentsQuery): Promise<IncidentList> {
    const incidents = await this.useCases.execute(new ListIncidents(caller, status ?? null));
    return { incidents: incidents.map(incidentRecord) };
  }

  @Post()
  @Gives(OpenIncident)
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Opens an incident: what happened, and which model and calls it affects' })
  @ApiOkResponse({ type: IncidentRecord })
  async open(
    @KnownBody() { model, version, calls, ...body }: OpenIncidentBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<IncidentRecord> {
    const input = { ...body, ...given({ model, version, calls }) };
    return incidentRecord(await this.useCases.execute(new OpenIncident(caller, identity, input)));
  }

  @Patch(':id')
  @Gives(UpdateIncident)
  @ApiOperation({ summary: 'Updates an open incident, or adds a note' })
  @ApiOkResponse({ type: IncidentRecord })
  async update(
    @Param('id') id: string,
    @KnownBody() { note, ...changes }: UpdateIncidentBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<IncidentRecord> {
    const input = { id, changes: given(changes), note: note ?? null };
    return incidentRecord(await this.useCases.execute(new UpdateIncident(caller, identity, input)));
  }

  @Post(':id/close')
  @Gives(CloseIncident)
  @HttpCode(200)
  @ApiOperation({ summary: 'Closes an incident' })
  @ApiOkResponse({ type: IncidentRecord })
  async close(
    @Param('id') id: string,
    @KnownBody() { resolution }: CloseIncidentBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<IncidentRecord> {
    return incidentRecord(await this.useCases.execute(new CloseIncident(caller, identity, { id, resolution })));
  }
}

type Given<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> };

/** The fields that are neither null nor absent. */
const given = <Fields extends object>(fields: Fields): Given<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  ) as Given<Fields>;

const incidentRecord = (incident: Incident): IncidentRecord => ({
  id: incident.incidentId,
  status: incident.closed ? 'closed' : 'open',
  title: incident.title,
  severity: incident.severity,
  description: incident.description,
  model: incident.model,
  version: incident.version,
  calls: incident.calls,
  notes: incident.notes,
  resolution: incident.closed?.resolution ?? null,
  opened_at: incident.openedAt,
  updated_at: incident.updatedAt,
  closed_at: incident.closed?.at ?? null,
});
