/* What only serves those without script goes before anything is drawn, so that nothing moves. Not deferred. */
document.documentElement.classList.add("scripted");
