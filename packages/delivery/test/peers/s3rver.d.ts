/** The part of the S3-compatible server that the tests use; it comes without types. */
declare module "@20minutes/s3rver" {
  interface Context {
    status: number
    body: unknown
    get(header: string): string
  }
  export default class S3rver {
    constructor(options: {
      readonly port: number
      readonly address: string
      readonly silent: boolean
      readonly directory: string
      readonly configureBuckets: ReadonlyArray<{ readonly name: string }>
    })
    readonly middleware: Array<(context: Context, next: () => Promise<unknown>) => Promise<unknown>>
    run(): Promise<{ readonly port: number }>
    close(): Promise<void>
  }
}
