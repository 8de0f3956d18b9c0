/** What is imported lies above the application: where Next itself was installed. */
export default { turbopack: { root: process.env.NEXT_ROOT } }
