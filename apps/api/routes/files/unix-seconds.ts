/** ISO 8601 as the OpenAI API writes times: seconds since 1970. */
export const unixSeconds = (time: string): number => Math.floor(Date.parse(time) / 1000);
