import type { CreateService } from './service.js';

/** A service for this folder's specification only. */
export const createService: CreateService<{ prefix: string; grouped?: boolean; broken?: boolean }> = (
  { prefix, grouped, broken },
  { emit },
) => {
  if (broken) throw fault();
  return {
    handle(method: string, args: readonly unknown[]): unknown {
      switch (method) {
        case 'echo':
          return `${prefix}${args[0]}`;
        case 'later':
          return Promise.resolve(`${prefix}${args[0]}`);
        case 'function':
          return () => 'cannot be cloned';
        case 'emit':
          return emit(args[0] as string, args[1]);
        case 'die':
          return process.exit(1);
        default:
          throw fault();
      }
    },
    ...(grouped && { handleGroup: (calls) => calls.map(() => ({ ok: true, value: calls.length })) }),
  };
};

const fault = () => Object.assign(new TypeError('no'), { code: 'ERR_ECHO', at: 7 });
