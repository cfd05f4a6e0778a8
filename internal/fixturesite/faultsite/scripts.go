package faultsite

import "strings"

// scripts are the site's script files by path; the policy of its pages lets no
// inline script run.
var scripts = map[string]string{
	"/js/trap.js":     `document.getElementById("trap").addEventListener("keydown", (e) => { if (e.key === "Tab") e.preventDefault(); });`,
	"/js/shortcut.js": `document.addEventListener("keydown", (e) => { if (e.key === "+") e.preventDefault(), document.getElementById("count").textContent += "1"; });`,
	"/js/title.js":    `document.title = "Another title for the same page of the club";`,
	"/js/robots.js":   `document.querySelector("meta[name=robots]").remove();`,
	"/js/long.js":     "// " + strings.Repeat("said at length ", 300) + "\n",
	"/js/error.js":    `document.getElementById("nothing-has-this-id").focus();`,
}
