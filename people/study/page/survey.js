// Shows a survey by SurveyJS, and sends its answers as those of any other questionnaire: one field for each question
// that is visible, a matrix with one for each row.
const box = document.getElementById("survey");
const form = document.querySelector("form[action='/go']");
const MAX_ANSWER = 5000;

function* answers(question) {
  const type = question.getType();
  if (type === "matrix") for (const row of question.visibleRows) yield [`${question.name}.${row.name}`, row.value];
  else if (type === "multipletext") for (const item of question.items) yield [`${question.name}.${item.name}`, item.value];
  else if (!["html", "image", "expression"].includes(type)) {
    yield [question.name, question.value];
    if (question.hasComment || question.hasOther) yield [`${question.name}-Comment`, question.comment];
  }
}

function add(name, value) {
  form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
}

function send(survey) {
  sessionStorage.setItem("survey", JSON.stringify(survey.data));
  for (const question of survey.getAllQuestions(true)) {
    for (const [name, value] of answers(question)) {
      add(`item-${name}`, Array.isArray(value) ? "" : value ?? "");
      if (Array.isArray(value)) for (const each of value) add(`item-${name}[]`, each);
    }
  }
  form.requestSubmit();
}

const survey = new Survey.Model(JSON.parse(box.dataset.survey));
survey.locale = box.dataset.language;
survey.questionsOnPageMode = box.dataset.pages;
survey.completeText = survey.pageNextText = box.dataset.done;
survey.maxTextLength ||= MAX_ANSWER;
// Otherwise an error would vanish, and the page move, under the click that leaves a field.
survey.textUpdateMode = "onTyping";
survey.showTitle = false;
survey.showCompletePage = false;
survey.onComplete.add(send);
// Values that the server did not accept are shown again.
if (document.querySelector(".problem")) survey.data = JSON.parse(sessionStorage.getItem("survey"));
survey.render(box);
