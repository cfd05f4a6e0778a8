// QualWeb's tools and those of its ACT rules that are passed on: alone, as each
// visited page pays for what is loaded into it. internal/inspect/accessibility
// says why the others are not trusted.
require("../../node_modules/@qualweb/util/dist/index.js");
exports.selectors = require("../../node_modules/@qualweb/act-rules/dist/lib/mapping.js").default;
exports.groups = {
  "qualweb-page": [
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R1.js").QW_ACT_R1,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R2.js").QW_ACT_R2,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R4.js").QW_ACT_R4,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R5.js").QW_ACT_R5,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R14.js").QW_ACT_R14,
  ],
  "qualweb-elements": [
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R6.js").QW_ACT_R6,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R7.js").QW_ACT_R7,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R11.js").QW_ACT_R11,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R12.js").QW_ACT_R12,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R16.js").QW_ACT_R16,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R17.js").QW_ACT_R17,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R19.js").QW_ACT_R19,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R20.js").QW_ACT_R20,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R21.js").QW_ACT_R21,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R22.js").QW_ACT_R22,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R24.js").QW_ACT_R24,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R27.js").QW_ACT_R27,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R28.js").QW_ACT_R28,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R35.js").QW_ACT_R35,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R36.js").QW_ACT_R36,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R38.js").QW_ACT_R38,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R42.js").QW_ACT_R42,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R48.js").QW_ACT_R48,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R65.js").QW_ACT_R65,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R66.js").QW_ACT_R66,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R67.js").QW_ACT_R67,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R68.js").QW_ACT_R68,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R69.js").QW_ACT_R69,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R77.js").QW_ACT_R77,
    require("../../node_modules/@qualweb/act-rules/dist/rules/QW-ACT-R13.js").QW_ACT_R13, // last: it moves the focus
  ],
};
