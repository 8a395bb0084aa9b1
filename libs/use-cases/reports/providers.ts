import { MakeReportsHandler } from './queries.js';

export const REPORTS = [MakeReportsHandler];
