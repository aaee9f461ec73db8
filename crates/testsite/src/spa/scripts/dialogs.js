addEventListener('beforeunload', (event) => { event.preventDefault(); event.returnValue = 'stay'; });
alert('a notice');
const agreed = confirm('really?');
const called = prompt('your name?', 'nobody');
print();
root.innerHTML = `<p>alert, confirm, prompt and print are behind us</p><p>agreed: ${agreed}, called: ${called}</p>
<a href="/landed/dialogs">on</a>`;
