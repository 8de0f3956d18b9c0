/**
 * How the report looks, on a screen and on paper. It needs no colour: what failed is said in words and in
 * frames, so that a grey copy says the same.
 */
export const REPORT_STYLE = `
.report {
  box-sizing: border-box;
  max-width: 190mm;
  margin: 0 auto;
  padding: 8mm;
  color: #000;
  background: #fff;
  color-scheme: light;
  font: 9.2pt/1.3 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere;
}
.report *, .report *::before { box-sizing: border-box; }
.report h1 { margin: 0; font-size: 17pt; line-height: 1.2; }
.report h2 { margin: 2.5mm 0 0.8mm; font-size: 10.5pt; }
.report h3 { margin: 5mm 0 1mm; font-size: 10.5pt; }
.report p { margin: 0; }
.report ul, .report ol { margin: 1mm 0; padding-left: 5mm; }
.report li { margin: 0 0 1mm; }
.report .verdict { margin: 2mm 0; padding: 1.5mm 3mm; border: 1.5pt solid #000; }
.report .verdict .word { font-size: 14pt; font-weight: 700; }
.report .tampered { border: 5pt double #000; }
.report .facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.3mm 4mm; margin: 0; font-size: 8.6pt; }
.report .facts dt { font-weight: 600; }
.report .facts dd { margin: 0; }
.report .hash, .report code, .report pre { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 8.2pt; }
.report pre { margin: 1mm 0; padding: 2mm; border: 0.5pt solid #777; white-space: pre-wrap; }
.report table { width: 100%; border-collapse: collapse; }
.report th, .report td { padding: 0.8mm 2mm 0.8mm 0; border-top: 0.5pt solid #777; text-align: left; vertical-align: top; }
.report thead th { border-top: 0; font-size: 8.2pt; }
.report .detail td { border-top: 0; }
.report .failures { table-layout: fixed; font-size: 8pt; line-height: 1.2; }
.report .failures th:nth-child(1) { width: 16mm; }
.report .failures th:nth-child(2), .report .failures th:nth-child(3) { width: 32mm; }
.report .failures th:nth-child(4), .report .failures th:nth-child(5) { width: 27mm; }
.report .statements th { width: 25mm; font-size: 8.6pt; white-space: nowrap; font-weight: 600; }
.report .statements td { padding: 0.5mm 0; font-size: 8pt; line-height: 1.18; }
.report .statements th.failed { border-left: 3pt solid #000; padding-left: 2mm; }
.report .label { font-weight: 600; }
.report .signing { margin-top: 1.5mm; font-size: 8.2pt; }
.report .signature { display: grid; gap: 0 5mm; }
.report .signature p { min-height: 6.5mm; border-bottom: 0.5pt solid #000; }
.report .origins { grid-template-columns: 1fr 1fr; }
.report .origins p:last-child:nth-child(odd) { grid-column: 1 / -1; }
.report .names { grid-template-columns: 2fr 1fr 2fr; }
.report .remarks, .report .signing > p { margin-bottom: 1mm; }
.report .names p { min-height: 8mm; }
.report .appendix { margin-top: 8mm; border-top: 1.5pt solid #000; }
@media (max-width: 600px) {
  .report { padding: 4mm; }
  .report .facts { grid-template-columns: 1fr; }
  .report .facts dd { margin-bottom: 1mm; }
  .report .statements th, .report .statements td { display: block; width: auto; }
  .report .statements td { border-top: 0; }
  .report .failures thead { display: none; }
  .report .failures tr { display: block; padding: 1mm 0; border-top: 0.5pt solid #777; }
  .report .failures td { display: block; padding: 0; border-top: 0; }
  .report .failures .detail { border-top: 0; }
  .report .failures tr:not(.detail) td::before { font-weight: 600; }
  .report .failures tr:not(.detail) td:nth-child(1)::before { content: "Event "; }
  .report .failures tr:not(.detail) td:nth-child(2)::before { content: "Who: "; }
  .report .failures tr:not(.detail) td:nth-child(3)::before { content: "What: "; }
  .report .failures tr:not(.detail) td:nth-child(4)::before { content: "Happened: "; }
  .report .failures tr:not(.detail) td:nth-child(5)::before { content: "Recorded: "; }
  .report .failures tr:not(.detail) td:nth-child(6)::before { content: "What is wrong: "; }
}
@page { margin: 8mm; }
@media print {
  .report { max-width: none; padding: 0; }
  .report .appendix { break-before: page; margin-top: 0; border-top: 0; }
  .report tr, .report li, .report .signing { break-inside: avoid; }
}
`
