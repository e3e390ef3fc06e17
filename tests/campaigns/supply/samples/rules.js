/* ruleid: html-from-script */
element.innerHTML = text;
/* ruleid: html-from-script */
eval(text);
/* ok: html-from-script */
element.textContent = text;
