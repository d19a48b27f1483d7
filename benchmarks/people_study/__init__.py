"""A study of scripted participants on a server that is killed: do all exports agree with the script?"""
