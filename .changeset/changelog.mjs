// How an entry of a CHANGELOG.md is written. All packages have one version, so an entry does not list which
// of them depends on which. The text is the note's own.

const getReleaseLine = ({ summary }) =>
  summary
    .trim()
    .split("\n")
    .map((line, index) => (index === 0 ? `- ${line}` : line === "" ? "" : `  ${line}`))
    .join("\n")

const getDependencyReleaseLine = () => ""

export default { getReleaseLine, getDependencyReleaseLine }
