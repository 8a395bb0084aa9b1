export * from './cost.js';
export * from './events.js';
export * from './subject.js';
export * from './summary.js';
export * from './texts.js';
