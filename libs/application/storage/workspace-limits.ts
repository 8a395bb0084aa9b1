import { limitOf, teamDecider, type LimitName, type TeamEvent } from '#domain/team/index.js';
import type { Position } from '#ports/event-store/port.js';
import type { BriefCache } from '../accounts/brief-cache.js';
import type { ApplicationReads } from '../application-reads.js';

const FILTER = { types: ['team-member-added.v1'] };
const DEFAULTS = { limits: new Map() };

/** The limits in force for a workspace, looked up by its id alone. A workspace never changes its team. */
export class WorkspaceLimits {
  private readonly teams = new Map<string, string>();
  private readonly known: BriefCache<(name: LimitName) => number>;
  private after: Position | null = null;

  constructor(private readonly application: ApplicationReads) {
    this.known = application.remember((workspaceId) => this.load(workspaceId));
  }

  async of(workspaceId: string, name: LimitName): Promise<number> {
    return (this.known.fresh(workspaceId) ?? (await this.known.load(workspaceId)))(name);
  }

  private async load(workspaceId: string): Promise<(name: LimitName) => number> {
    if (!this.teams.has(workspaceId)) await this.readOn();
    const teamId = this.teams.get(workspaceId);
    const team = teamId === undefined ? null : await this.application.load(teamDecider, teamId);
    return (name) => limitOf(team?.status === 'active' ? team : DEFAULTS, name);
  }

  /** Reads the members who were added since. */
  private async readOn(): Promise<void> {
    const { eventStore } = this.application.ports;
    for await (const event of eventStore.readAll({ after: this.after, filter: FILTER })) {
      const { data } = event as unknown as Extract<TeamEvent, { type: 'team-member-added.v1' }>;
      this.teams.set(data.workspaceId, data.teamId);
      this.after = event.position;
    }
  }
}
