import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { incidentDecider, type Incident, type IncidentFacts } from '#domain/incident/index.js';
import { derivedId } from '#log/execute.js';
import { CallerCommand } from '../commands-and-queries.js';

type OpenedIncident = Pick<IncidentFacts, 'title' | 'severity'> &
  Partial<IncidentFacts> & { readonly description: string };

export class OpenIncident extends CallerCommand<OpenedIncident, Incident> {}

@CommandHandler(OpenIncident)
export class OpenIncidentHandler implements ICommandHandler<OpenIncident> {
  constructor(private readonly application: Application) {}

  /** @throws InvalidError for a version without a model; ConflictError beyond the number of incidents */
  async execute({ caller, identity, input }: OpenIncident): Promise<Incident> {
    const { workspaceId } = caller;
    const context = callerContext(caller, identity);
    const incidentId = derivedId(context.commandId, 'incident');
    const facts = { ...input, model: input.model ?? null, version: input.version ?? null, calls: input.calls ?? [] };
    const command = { ...facts, type: 'open-incident', incidentId, workspaceId } as const;
    const known = await this.application.recall(incidentDecider, workspaceId, identity);
    const state = known ?? (await this.application.execute(incidentDecider, workspaceId, command, context)).state;
    return state.get(incidentId)!;
  }
}

interface IncidentUpdate {
  readonly id: string;
  /** Absent fields stay as they are. */
  readonly changes: Partial<IncidentFacts>;
  readonly note: string | null;
}

export class UpdateIncident extends CallerCommand<IncidentUpdate, Incident> {}

@CommandHandler(UpdateIncident)
export class UpdateIncidentHandler implements ICommandHandler<UpdateIncident> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError; ConflictError closed, or beyond the number of updates; InvalidError */
  async execute({ caller, identity, input: { id, ...update } }: UpdateIncident): Promise<Incident> {
    const { workspaceId } = caller;
    const command = { type: 'update-incident', incidentId: id, workspaceId, ...update } as const;
    const context = callerContext(caller, identity);
    return (await this.application.execute(incidentDecider, workspaceId, command, context)).state.get(id)!;
  }
}

export class CloseIncident extends CallerCommand<{ readonly id: string; readonly resolution: string }, Incident> {}

@CommandHandler(CloseIncident)
export class CloseIncidentHandler implements ICommandHandler<CloseIncident> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError; ConflictError closed with another resolution */
  async execute({ caller, identity, input: { id, resolution } }: CloseIncident): Promise<Incident> {
    const { workspaceId } = caller;
    const command = { type: 'close-incident', incidentId: id, workspaceId, resolution } as const;
    const context = callerContext(caller, identity);
    return (await this.application.execute(incidentDecider, workspaceId, command, context)).state.get(id)!;
  }
}
