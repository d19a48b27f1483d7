"""What is written on buttons and in stock sentences, so that a file can say it in another language."""

from human_data.people.study.base import Part


class Words(Part):
    """Each text with its English default; `{n}` and `{count}` are numbers."""

    agree: str = "I agree and take part"
    refuse: str = "I do not want to take part"
    next: str = "Continue"
    begin: str = "Begin"
    code: str = "Your participant code"
    code_help: str = "You got it from the person who runs the study."
    code_form: str = "A code has letters, digits, '-', '_' and '.', and no blanks."
    code_unknown: str = "This code is not known here. Please look at it again."
    code_taken: str = (
        "This code is in use already. Go on in the browser in which you began, or ask the person who runs "
        "the study."
    )
    required: str = "Please answer this question."
    choose_one: str = "Please choose one of these."
    a_number: str = "Please write a number."
    between: str = "Please write a number from {low} to {high}."
    too_long: str = "Please write at most {n} characters."
    see_below: str = "Some answers are missing or not right. They are marked below."
    optional: str = "(you may leave this out)"
    page_of: str = "Part {n} of {count}"
    break_title: str = "Time for a break"
    break_text: str = (
        "You have done {n} of {count} tasks. Rest your eyes and hands; go on when you are ready."
    )
    practice: str = "Practice"
    tutorial: str = "Tutorial"
    moved: str = "You went on in another window. This is where you are now."
    elsewhere_title: str = "Opened in another window"
    elsewhere: str = "This page was opened in another window, and goes on there."
    here: str = "Go on here"
    refused_title: str = "Thank you"
    refused: str = "You do not take part, and nothing about you was kept. You can close this page."
    changed_mind: str = "I have changed my mind"
    withdraw: str = "Stop taking part"
    withdraw_title: str = "Stop taking part?"
    withdraw_text: str = "You may stop at any time, without giving a reason. You cannot come back afterwards."
    stay: str = "No, go on with the study"
    withdrawn_title: str = "You have stopped"
    withdrawn: str = (
        "Thank you for your time. If your data shall be deleted, tell the person who runs the study."
    )
    completion_code: str = "Your completion code"
    finish: str = "Finish"
    another: str = "Another person begins here"
    link_incomplete: str = "This link is not complete. Please open the link that you were given, as it is."
