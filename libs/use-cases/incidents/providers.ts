import { CloseIncidentHandler, OpenIncidentHandler, UpdateIncidentHandler } from './commands.js';
import { ListIncidentsHandler } from './queries.js';

export const INCIDENTS = [CloseIncidentHandler, ListIncidentsHandler, OpenIncidentHandler, UpdateIncidentHandler];
