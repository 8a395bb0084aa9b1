declare module 'asciichart' {
  interface Options {
    readonly height?: number;
    readonly format?: (value: number) => string;
  }
  const asciichart: { plot(series: readonly number[], options?: Options): string };
  export default asciichart;
}
