//! The fields that a row can fill, and how people head their columns.

use trestle_rows::columns::Field;

/// The fields, each with the headers that people give to it.
pub const FIELDS: [Field; 19] = [
    (
        "companyName",
        "companyname company employer organization organisation",
    ),
    (
        "positionTitle",
        "positiontitle jobtitle title position role jobrole job rolename",
    ),
    (
        "status",
        "status applicationstatus currentstatus stage state outcome",
    ),
    (
        "dateApplied",
        "dateapplied applieddate appliedon applicationdate datesubmitted applied date",
    ),
    (
        "offerDueDate",
        "offerduedate offerdeadline offerexpires respondby",
    ),
    (
        "companyUrl",
        "companyurl companywebsite website companysite homepage",
    ),
    (
        "jobPostingUrl",
        "jobpostingurl postingurl joburl jobposting posting joblink applicationlink applicationurl applylink url link",
    ),
    (
        "companyCareerUrl",
        "companycareerurl careerurl careersurl careerspage careers",
    ),
    (
        "companyCategory",
        "companycategory category industry sector",
    ),
    (
        "jobSource",
        "jobsource source foundvia foundon referral howfound",
    ),
    ("skillsMatch", "skillsmatch match fit rating score"),
    (
        "coverLetterRequired",
        "coverletterrequired coverletter coverletterneeded",
    ),
    ("specialRequirements", "specialrequirements requirements"),
    ("notes", "notes note comments comment remarks"),
    (
        "salaryMin",
        "salarymin minsalary minimumsalary salaryfrom salarylow salary salaryrange compensation pay",
    ),
    (
        "salaryMax",
        "salarymax maxsalary maximumsalary salaryto salaryhigh",
    ),
    ("isArchived", "isarchived archived"),
    ("nextAction", "nextaction nextstep todo"),
    (
        "nextActionDate",
        "nextactiondate nextstepdate followupdate followup",
    ),
];
