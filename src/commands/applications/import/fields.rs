//! The fields that a row can fill, and how people head their columns.

use trestle_rows::columns::Field;

/// The fields of the first releases, each with the headers that people give to it. The id of a row without a link is made from
/// these columns, so a header that is added here changes the ids of files that were imported before: add it to [`MORE`].
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

/// Further fields and headers. A row's id does not depend on them.
pub const MORE: &[Field] = &[
    ("companyName", "employername hiringcompany"),
    ("positionTitle", "jobposition positionname"),
    ("status", "list jobstatus applicationstage"),
    (
        "dateApplied",
        "appliedat dateofapplication submittedat submittedon datesent",
    ),
    ("jobPostingUrl", "joblisting joblistingurl listingurl"),
    ("salaryCurrency", "salarycurrency currency paycurrency"),
    ("salaryPeriod", "salaryperiod payperiod paidper payrate"),
    ("tags", "tags tag labels label keywords"),
    ("location", "location joblocation city place"),
    (
        "isRemote",
        "isremote remote workmode worktype workplacetype",
    ),
    (
        "postingText",
        "postingtext jobdescription jobpostingtext jobad description",
    ),
    ("closingDate", "closingdate applicationdeadline applyby"),
];

/// The names of all fields, in their order.
pub fn names() -> impl Iterator<Item = &'static str> {
    let is_new = |name: &&str| !FIELDS.iter().any(|(known, _)| known == name);
    let more = MORE.iter().map(|(name, _)| *name).filter(is_new);
    FIELDS.iter().map(|(name, _)| *name).chain(more)
}
