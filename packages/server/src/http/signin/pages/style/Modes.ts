/** For those who see fewer colours, or have the page on paper. Nothing moves, so that needs no mode. */
export const modes = `
@media (forced-colors: active) {
  .picture {
    forced-color-adjust: none;
    background: CanvasText !important;
  }

  .button.first {
    border-color: ButtonText;
  }
}

@media print {
  :root {
    --ground: #ffffff;
    --card: #ffffff;
    --text: #000000;
    --muted: #444444;
    --shadow: none;
  }

  body {
    display: block;
    padding: 0;
  }

  .card {
    padding-inline: 0;
    border: 0;
    break-inside: avoid;
  }

  :is(form, .button, .way, .or) {
    display: none;
  }
}
`
